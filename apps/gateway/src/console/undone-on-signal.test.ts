import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { test } from 'node:test'
import { undoneOnSignal } from './undone-on-signal.ts'

/** A process of root that works with the rights of the gateway. */
class Own extends EventEmitter {
  readonly done: string[] = []
  exit(status: number): void {
    this.done.push(`exit ${status}`)
    this.emit('end')
  }
  getuid(): number {
    return 0
  }
  seteuid(id: number): void {
    this.done.push(`user ${id}`)
  }
}

test('a signal undoes what must not stay, as root, and ends the process with its status', async () => {
  for (const [signal, status] of [
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const own = new Own()
    using _undone = undoneOnSignal(async () => void own.done.push('undone'), own)
    const end = once(own, 'end')
    own.emit(signal)
    await end
    assert.deepEqual(own.done, ['user 0', 'undone', `exit ${status}`])
  }
})

test('an undoing that fails ends the process all the same, and after the work a signal is none of its', async () => {
  const own = new Own()
  {
    using _undone = undoneOnSignal(() => Promise.reject(new Error('no')), own)
    const end = once(own, 'end')
    own.emit('SIGINT')
    await end
    assert.deepEqual(own.done, ['user 0', 'exit 130'])
  }
  assert.deepEqual(
    own.eventNames(),
    ['end'].filter((name) => own.listenerCount(name) > 0),
  )
})
