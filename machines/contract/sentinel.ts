// Owns the last line of stdout. Its bytes are an interface: scripts match them exactly.

/** Longest reason inside a sentinel, in characters. */
const reasonLengthMax = 500;

/** The line of a run that reached review_done. */
export const doneSentinel = '<<<PDLC done stage=review>>>';

/** One parseable line with the reason escaped: no quotes, line breaks, control characters or sentinel marks survive raw. */
export function blockedSentinel(reason: string): string {
  return `<<<PDLC blocked reason="${escapeReason(reason)}">>>`;
}

function escapeReason(reason: string): string {
  const short = reason.length > reasonLengthMax ? `${reason.slice(0, reasonLengthMax)}…` : reason;
  // JSON escaping handles quotes, backslashes and control characters; angle brackets could still forge the end mark.
  return JSON.stringify(short)
    .slice(1, -1)
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
    .replaceAll(/[\u007f-\u009f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}
