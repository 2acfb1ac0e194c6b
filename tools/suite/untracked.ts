// Loaded into each test process: node:test follows every promise to the test that made it, which took up to a third of the
// processor time and serves only to say whose an error is that nobody caught. `strays` says that (decision 0285).
import { Session } from 'node:inspector'
import { beforeEach, type TestContext } from 'node:test'
import { isMainThread } from 'node:worker_threads'
import { strays } from './strays.ts'

const PROTOTYPE = `Object.getPrototypeOf(process.getBuiltinModule('node:async_hooks').createHook({}))`
const DISABLE = 'function () { for (const hook of this) hook.disable(); return this.length }'

/** The hooks that are set now. There is no other way to those of the runner. */
class HooksInPlace {
  readonly #session = new Session()
  #hooks = ''

  /** Searches the heap: the fewer files are loaded, the faster. */
  constructor() {
    this.#session.connect()
    this.#session.post('Runtime.evaluate', { expression: PROTOTYPE }, (_, { result: { objectId = '' } }) =>
      this.#session.post(
        'Runtime.queryObjects',
        { prototypeObjectId: objectId },
        (__, { objects }) => void (this.#hooks = objects.objectId ?? ''),
      ),
    )
  }

  /** Throws when there were none, because then nothing follows the promises any more. */
  disable(): void {
    let count: unknown
    this.#session.post(
      'Runtime.callFunctionOn',
      { objectId: this.#hooks, functionDeclaration: DISABLE, returnByValue: true },
      (_, { result }) => void (count = result.value),
    )
    this.#session.disconnect()
    if (count !== 1)
      throw new Error(`node:test has ${String(count)} hooks and not one: tools/suite/untracked.ts`)
  }
}

// A worker that a test starts loads this, too, and has no tests.
if (isMainThread) {
  let hooks: HooksInPlace | undefined = new HooksInPlace()
  // Not before the first test: while files are loaded, it is by them that a test finds the group around it.
  beforeEach((context) => {
    hooks?.disable()
    hooks = undefined
    strays.begin((context as TestContext).fullName) // as: a suite, which also comes here, has one, too.
  })
  process.on('uncaughtException', (error) => strays.add(error))
  process.on('unhandledRejection', (error) => strays.add(error))
}
