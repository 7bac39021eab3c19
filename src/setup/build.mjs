/** `npm run build`: dependencies, native code and the bundled program, each only when something changed. */
import { run, setUp } from './lib.mjs';

await run(setUp);
