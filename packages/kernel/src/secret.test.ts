import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { test } from 'node:test'
import { Secret } from './secret.ts'

test('a secret shows itself nowhere but where it is revealed', () => {
  const secret = new Secret('hunter2')
  const shown = [
    `${secret}`,
    JSON.stringify({ secret }),
    inspect(secret),
    inspect({ deep: { secret } }, { showHidden: true }),
    Object.keys(secret).join(),
  ]
  assert.ok(shown.every((text) => !text.includes('hunter2')))
  assert.equal(secret.reveal(), 'hunter2')
})
