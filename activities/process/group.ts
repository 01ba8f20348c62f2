// A control group (cgroup v2) for each attempt, where the kernel and the machine let us make one: all in it end at one stroke, however they fork and hide.
// Must never end a group that was not made for exactly this attempt, and never keep an attempt from running where there is none.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { hasCode } from '../host/files.js';
import { lockLimitOf } from './mark.js';

/** The folder of an attempt's group below this process's own one, null where there are no such groups. */
export function groupOf(token: string): string | null {
  const own = ownGroup();
  return own && join(own, nameOf(token));
}

/** Whether a folder is named as the group of this attempt; no other is ever ended. */
export function isGroupOf(token: string, group: string): boolean {
  return isAbsolute(group) && basename(group) === nameOf(token);
}

const nameOf = (token: string): string => `pdlc-${lockLimitOf(token)}`;

/** Makes the group, if it is not there; false where the kernel cannot end a group at one stroke (before 5.14) or we may not make one. */
export function makeGroup(group: string): boolean {
  try {
    mkdirSync(group);
  } catch (error) {
    // A read-only mount, another user's group, or a parent that ended with its boot or its login.
    if (!hasCode(error, 'EEXIST')) return false;
  }
  if (existsSync(join(group, 'cgroup.kill'))) return true;
  removeGroup(group);
  return false;
}

/** Kills all in a group and removes it; true once it is gone or never was. */
export function endGroup(group: string): boolean {
  if (!existsSync(join(group, 'cgroup.kill'))) return true;
  try {
    writeFileSync(join(group, 'cgroup.kill'), '1');
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'EACCES', 'EPERM', 'EROFS', 'ENODEV')) throw error;
  }
  return removeGroup(group);
}

/** A group that still holds a process or a group cannot be removed; an agent may have made some below its own. */
function removeGroup(group: string): boolean {
  try {
    for (const entry of readdirSync(group, { withFileTypes: true })) if (entry.isDirectory()) removeGroup(join(group, entry.name));
    rmdirSync(group);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'EBUSY', 'ENOTEMPTY', 'EACCES', 'EPERM', 'EROFS', 'ENODEV')) throw error;
  }
  return !existsSync(group);
}

/** Where this process stands in the tree of control groups: its mount point and its path below what is mounted there. */
function ownGroup(): string | null {
  const path = /^0::(\/.*)$/m.exec(read('/proc/self/cgroup'))?.[1];
  const mount = read('/proc/self/mountinfo')
    .split('\n')
    .map((line) => line.split(' '))
    .find((fields) => fields[fields.indexOf('-') + 1] === 'cgroup2');
  const [root, point] = [mount?.[3], mount?.[4]];
  if (path === undefined || root === undefined || point === undefined || path.includes('/..')) return null;
  if (root === '/') return join(point, path);
  return path === root || path.startsWith(`${root}/`) ? join(point, path.slice(root.length)) : null;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // no /proc
  }
}
