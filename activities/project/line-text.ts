// Owns making any output fit into one short line of a record: no control characters, no escape sequences, no half characters. Pure.

/** Longest text in a record, in characters (UTF-16 units). */
const lineLengthMax = 200;
/** Lines of an output that a record shows. */
const linesMax = 5;

/** The last five lines that say something, joined to one line; of a longer text its end. */
export function lastLines(text: string): string {
  const lines = text
    .split(/\r\n|\r|\n/)
    .map(clean)
    .filter((line) => line !== '');
  const joined = lines.slice(-linesMax).join(' ');
  return joined
    .slice(-lineLengthMax)
    .replace(/^[\uDC00-\uDFFF]/, '')
    .trimStart();
}

/** A reason as one line; of a longer text its beginning. */
export function oneLine(text: string): string {
  return clean(text)
    .slice(0, lineLengthMax)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd();
}

function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: taking control characters out is the point.
  const plain = text.replaceAll(/\u001b\[[0-?]*[ -/]*[@-~]/g, '').replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
  return plain
    .replaceAll(/\p{Cs}/gu, '\uFFFD')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}
