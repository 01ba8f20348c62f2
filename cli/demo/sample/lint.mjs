// Looks for tabs, trailing spaces, `var` and forgotten console output in src/ and test/. Exits with 1 when it finds any.
import { readdirSync, readFileSync } from 'node:fs';

const rules = [
  [/\t/, 'a tab'],
  [/ $/, 'a space at the end of the line'],
  [/\bvar /, 'var instead of const or let'],
  [/\bconsole\.log\(/, 'forgotten output'],
];

const files = ['src', 'test'].flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`));
const problems = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) => rules.filter(([pattern]) => pattern.test(line)).map(([, what]) => `${file}:${index + 1}: ${what}`)),
);
console.log(problems.length > 0 ? problems.join('\n') : `${files.length} files, no problems`);
process.exitCode = problems.length > 0 ? 1 : 0;
