import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from '../catalogue.ts'
import { isErrorCode } from '../errors.ts'

test('a Process is neither shown alone nor edited, nor has it users of databases [PROC-016, PROC-017]', () => {
  const ofProcesses = catalogue
    .filter(({ path }) => path.startsWith('/processes'))
    .map(({ method, path }) => `${method} ${path}`)
    .toSorted()
  assert.deepEqual(ofProcesses, [
    'DELETE /processes/{process}',
    'DELETE /processes/{process}/log-streams/{stream}',
    'GET /processes',
    'GET /processes/{process}/logs',
    'POST /processes',
    'POST /processes/{process}/log-streams',
    'POST /processes/{process}/restart',
    'POST /processes/{process}/start',
    'POST /processes/{process}/stop',
    'PUT /processes/{process}/log-streams/{stream}',
  ])
})

test('the gateway has no code for an option or an account that a client refuses itself [PROC-045]', () => {
  for (const code of ['process.option_invalid', 'process.user_invalid'])
    assert.equal(isErrorCode(code), false, code)
})
