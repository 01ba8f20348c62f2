// Owns noticing that a shell command hides the exit code of what it runs. It only warns: a person may have meant it.

/** Why this command line can succeed although what it runs failed, in words; null when nothing plain says so. Text in quotes is not looked at. */
export function maskedExit(run: string): string | null {
  const bare = run.replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"/g, '""').trim();
  const last = /(\|\||;|\n)\s*(true|:|exit 0|echo\b[^;&|\n]*)$/.exec(bare);
  if (last) return `it ends with "${last[1] === '\n' ? '' : `${last[1]} `}${last[2]}", which succeeds whatever ran before`;
  if (/(^|[^&])&$/.test(bare)) return 'it ends with "&", so nothing waits for its end';
  if (/[^|]\|[^|]/.test(bare) && !bare.includes('pipefail'))
    return 'it pipes into another program, whose exit code is the only one that counts (without pipefail)';
  return null;
}
