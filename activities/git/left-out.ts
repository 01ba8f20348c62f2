// Names that never enter a commit of the engine when they are new: secrets, junk, and the engine's own state files always.
// Pure: looks at names alone, reads nothing.
import type { Omission } from '../../machines/contract/attempt.js';
import { stateDir } from '../../machines/contract/state-file.js';

/** Why a path is left out by its name alone when it is new, and up to where: a folder is named once, for all in it. Null when it is not. */
export function nameProblem(path: string, caches: ReadonlySet<string> = new Set()): Omission | null {
  if (isStatePath(path)) return { path, reason: 'state_file' };
  const folders = path.split('/').slice(0, -1);
  for (const [index, folder] of folders.entries()) {
    const prefix = `${folders.slice(0, index + 1).join('/')}/`;
    if (junkFolders.has(folder) || (folder === 'target' && caches.has(prefix))) return { path: prefix, reason: 'junk' };
  }
  if (path.split('/').some((part) => likeGitDir.test(part))) return { path, reason: 'embedded_repository' };
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (junkFile.test(name)) return { path, reason: 'junk' };
  if (secretFile.test(name) && !secretExample.test(name)) return { path, reason: 'secret' };
  return null;
}

/** Whether this is one of the engine's own state files, or stands where their folder must be. */
export const isStatePath = (path: string): boolean => path.startsWith(`${stateDir}/`) || `${stateDir}/`.startsWith(`${path}/`);

const junkFolders = new Set(['node_modules', '.venv', 'venv', '__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.tox']);
// Spellings of `.git` on other file systems, which git refuses to hold.
const likeGitDir = /^(\.git|git~\d+)[. ]*(:.*)?$/i;
const junkFile = /^(\.ds_store|thumbs\.db|desktop\.ini|.*\.sw[op]|.*~|\.#.*|#.*#)$/;
const secretFile =
  /^(\.env|\.env\..+|.*\.(pem|key|p12|pfx|jks|keystore)|id_(rsa|dsa|ecdsa|ed25519)([._-].*)?|\.netrc|_netrc|\.pgpass|\.htpasswd|\.git-credentials|credentials(\.json)?|service-account.*\.json)$/;
const secretExample = /(^\.env\..*(example|sample|template|dist)$)|\.pub$/;
