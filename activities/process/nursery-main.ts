// The nursery's own process: starts what it is asked to, answers, and ends when its owner is gone.
import { collect } from './collect.js';
import { detach } from './detach.js';
import type { Answered, Asked } from './nursery.js';

process.on('message', (asked: Asked) => {
  if ('detach' in asked) return detach(asked.detach);
  const { id, request } = asked;
  void collect(request).then((collected) => {
    const answered: Answered = { id, collected };
    if (process.connected) process.send?.(answered);
  });
});
process.on('disconnect', () => process.exit());
