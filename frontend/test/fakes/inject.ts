// The script that the face tests load before the built window. The options are a global that the
// test sets before.
import { overHTTP } from './control';
import { install, type FakeOptions } from './wails';

const options = (globalThis as { fakeOptions?: FakeOptions }).fakeOptions;
const fake = install(window, options);
if (options?.control === true) overHTTP(window, fake);
