/** Entry of the thread of a side front. */
import { BreakerWords } from '../../base/breakers.js';
import { useMemoryBudget } from '../../base/memory.js';
import { countOfThread, FIRST_WORKER_THREAD } from '../../base/thread-words.js';
import { nameThisThread } from '../../store/threads.js';
import { parent, startData } from '../../workers/threads.js';
import { WorkerSlots } from '../../workers/worker-slots.js';
import { countNativeTrips } from '../native-trips.js';
import { SideFront } from './side-front.js';
import type { SideFrontOrder, SideFrontStart } from './side-front-messages.js';

const given = startData() as SideFrontStart;
useMemoryBudget(given.start.settings.memory.budgetBytes);
nameThisThread(given.name);
// Behind the workers, the first front not counted.
const thread = FIRST_WORKER_THREAD + new WorkerSlots(given.words.slots).count + given.place.place - 1;
countOfThread(given.start.threadWords, thread);
countNativeTrips(new BreakerWords(given.start.breakerWords));
const front = new SideFront(given);

parent().on('message', ({ wire }: SideFrontOrder) => {
  front.connect(wire);
});
