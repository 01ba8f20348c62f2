// Owns the one question that git's file work asks of a system error. Must never look at message text.

/** True if the error carries one of these system error codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
