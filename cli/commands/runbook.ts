// The runbook command: prints a shell script that drives features from outside, a new process each, for cron or a night's work.
import type { Context } from '../context.js';

/** Prints the script; it takes feature ids as arguments. */
export async function runbook(context: Context, { maxSteps }: { maxSteps: number }): Promise<number> {
  context.out(script(maxSteps));
  return 0;
}

function script(maxSteps: number): string {
  return `#!/bin/sh
# Takes each feature named on the command line through tdd, implement and review, one after another.
# Exits with the worst exit code: 0 all done, 2 waits for a person, 3 capped, 4 environment, 5 stuck, 6 aborted, 64 usage, 69 no server.
set -u
[ "$#" -gt 0 ] || { echo "usage: $0 FEATURE_ID..." >&2; exit 64; }
PDLC=\${PDLC:-pdlc}
worst=0
for id in "$@"; do
  next=$("$PDLC" loop-next "$id") || { worst=64; continue; }
  case $next in
    pdlc-tdd | pdlc-implement | pdlc-review) ;;
    done) echo "$id: done already" >&2; continue ;;
    blocked) echo "$id: blocked, a person is needed" >&2; [ "$worst" -gt 2 ] || worst=2; continue ;;
    *) echo "$id: unknown decision '$next'" >&2; exit 70 ;;
  esac
  "$PDLC" loop-run "$id" --max-steps ${maxSteps}
  code=$?
  echo "$id: exit $code" >&2
  [ "$code" -le "$worst" ] || worst=$code
done
exit "$worst"`;
}
