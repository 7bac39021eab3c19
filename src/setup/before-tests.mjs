/** Before the first TypeScript test: nodes that tests start run the sources as they are now. */
import { bundleProgram, keepCode } from './lib.mjs';

export default function beforeTests() {
  bundleProgram();
  keepCode();
}
