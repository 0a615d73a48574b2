// The script that the face tests put in front of the built window; the options
// are a global that the test sets before.
import { install, type FakeOptions } from './wails';

install(window, (globalThis as { fakeOptions?: FakeOptions }).fakeOptions);
