/** Entry of the thread of a side front. */
import { BreakerWords } from '../../base/breakers.js';
import { countCollections, HEAP_OF_FIRST_WORKER } from '../../base/garbage-collections.js';
import { useMemoryBudget } from '../../base/memory.js';
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
const heap = HEAP_OF_FIRST_WORKER + new WorkerSlots(given.words.slots).count + given.place.place - 1;
countCollections(given.start.collectionWords, heap);
countNativeTrips(new BreakerWords(given.start.breakerWords));
const front = new SideFront(given);

parent().on('message', ({ wire }: SideFrontOrder) => {
  front.connect(wire);
});
