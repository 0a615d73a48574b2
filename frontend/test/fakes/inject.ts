// The script that the face tests load before the built window. The options are a global that the
// test sets before.
import { install, type FakeOptions } from './wails';

install(window, (globalThis as { fakeOptions?: FakeOptions }).fakeOptions);
