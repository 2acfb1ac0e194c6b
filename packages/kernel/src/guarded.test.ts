import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { guarded } from './guarded.ts'

test('what a guarded listener throws reaches its own end of the connection, not the emitter', () => {
  const emitter = new EventEmitter()
  const faults: unknown[] = []
  const fault = new Error('fault')
  emitter.on(
    'request',
    guarded(
      (path: string) => {
        if (path === '//') throw fault
      },
      (error, path) => faults.push(error, path),
    ),
  )
  emitter.emit('request', '/')
  emitter.emit('request', '//')
  assert.deepEqual(faults, [fault, '//'])
})

test('a guarded listener has the emitter that its event has', () => {
  const closed: EventEmitter[] = []
  const emitter = new EventEmitter()
  const close = guarded(
    function (this: EventEmitter) {
      closed.push(this)
    },
    () => undefined,
  )
  emitter.on('close', close)
  emitter.emit('close')
  assert.deepEqual(closed, [emitter])
})
