// The nursery's own process: starts what it is asked to, answers, and ends when its owner is gone.
import { collect } from './collect.js';
import type { Answered, Asked } from './nursery.js';

process.on('message', ({ id, request }: Asked) => {
  void collect(request).then((collected) => {
    const answered: Answered = { id, collected };
    if (process.connected) process.send?.(answered);
  });
});
process.on('disconnect', () => process.exit());
