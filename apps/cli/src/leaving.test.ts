import assert from 'node:assert/strict'
import { test } from 'node:test'
import { interruption, type Sent, unread } from './leaving.ts'

const WORKING = 'The gateway may still be working on the request: fleet activity:list --request-id r-1'
const CONTINUES = 'Deployment 7 continues. To follow it: fleet deployment:show 7 --follow'
const read: Sent = { id: 'r-1', changes: false }
const change: Sent = { id: 'r-1', changes: true }

test('an interrupted command says what may still be at work', () => {
  assert.equal(interruption(undefined), '\nInterrupted.\n')
  assert.equal(interruption(read), '\nInterrupted.\n')
  assert.equal(interruption(change), `\nInterrupted. ${WORKING}\n`)
  assert.equal(interruption({ ...change, interrupted: CONTINUES }), `\nInterrupted. ${CONTINUES}\n`)
})

test('a read whose reader has seen enough succeeds, and a change ends with its outcome, or with 141 and a sentence while that is unknown', () => {
  for (const sent of [undefined, read]) assert.deepEqual(unread(sent, undefined), { exit: 0, text: '' })
  for (const exit of [0, 1] as const) assert.deepEqual(unread(change, exit), { exit, text: '' })
  assert.deepEqual(unread(change, undefined), {
    exit: 141,
    text: `Nobody reads the output any more. ${WORKING}\n`,
  })
  assert.deepEqual(unread({ ...change, interrupted: CONTINUES }, undefined), {
    exit: 141,
    text: `Nobody reads the output any more. ${CONTINUES}\n`,
  })
})
