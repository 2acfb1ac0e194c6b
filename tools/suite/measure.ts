// Loaded into each test process before its tests: it measures what the tests of each file take.
import { after, afterEach, beforeEach, type TestContext } from 'node:test'
import { endWhatTestsKept } from '@fleet/testing/after-tests'
import { spent } from './spent.ts'

const fileOf = (context: unknown): string => (context as TestContext).filePath ?? '' // A suite, which also comes here, has one too.

beforeEach((context) => spent.begin(fileOf(context)))
afterEach((context) => spent.end(fileOf(context)))
// Waited for, or nobody would count what it took.
after(endWhatTestsKept)
