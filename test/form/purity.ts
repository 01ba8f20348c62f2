// Owns what machines must not contain. Must never look at anything but syntax.
import { isMember, type Node, nameOf, type Source } from './source.js';

const globals = ['process', 'globalThis', 'performance', 'crypto', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'fetch', 'console'];

/** True for a reading of the clock, chance, the process or another part of the world. */
export function isImpure(node: Node): boolean {
  const isNewDate = node.type === 'NewExpression' && nameOf(node.callee) === 'Date' && (node.arguments as Node[]).length === 0;
  const isGlobal = node.type === 'Identifier' && globals.includes(nameOf(node) ?? '');
  return isMember(node, 'Date', 'now') || isMember(node, 'Math', 'random') || isNewDate || isGlobal;
}

/** True for what would make a machine act by itself: an invoked or delayed part, or an actor of its own. */
export function isEffect(node: Node): boolean {
  if (node.type === 'Property') return ['invoke', 'after'].includes(nameOf(node.key) ?? '');
  return node.type === 'Identifier' && nameOf(node) === 'createActor';
}

/** Source files of the machines. */
export const machinesOf = (sources: readonly Source[]): Source[] => sources.filter(({ path }) => path.startsWith('machines/'));
