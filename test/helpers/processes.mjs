// What the chaos scripts see of the process table, and their only way to kill.
// Must never be handed a pid that was not found by a folder, record or mark of the script itself.
import { readdirSync, readFileSync, realpathSync } from 'node:fs';

/** Every live process that may be read: pid, environment, command line and working directory, zeros as spaces. */
export function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const text = (file) => readFileSync(`/proc/${name}/${file}`, 'latin1').replaceAll('\0', ' ');
        if (/\) [ZX] /.test(text('stat'))) return [];
        return [{ pid: Number(name), environ: text('environ'), cmdline: text('cmdline'), cwd: realpathSync(`/proc/${name}/cwd`) }];
      } catch {
        return []; // gone meanwhile, or not ours to read
      }
    });
}

/** Kills one process by SIGKILL; false when it is gone. */
export function killExactly(pid) {
  try {
    return pid > 1 && process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

/** The children of a process, as far as the kernel tells. */
export function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return []; // gone, or a kernel that does not tell
  }
}
