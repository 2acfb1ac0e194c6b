import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { EXIT } from './exit.ts'
import { ask } from './prompt.ts'

/** A question on streams of its own, answered by these keys. */
function asked(keys: string, secret: boolean) {
  const stdin = new PassThrough()
  const stderr = new PassThrough()
  const reply = ask('Continue? ', secret, { stdin, stderr })
  stdin.end(keys)
  return reply
}

test('Ctrl-C at a question ends the command as an interruption, with the echo and without', async () => {
  for (const secret of [false, true])
    await assert.rejects(asked('y\u0003', secret), { code: 'interrupted', exit: EXIT.interrupted })
})

test('a question is answered by a line, or by the end of input', async () => {
  for (const secret of [false, true]) {
    assert.equal(await asked('yes\r', secret), 'yes')
    assert.equal(await asked('', secret), undefined)
  }
})
