import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXIT } from '@fleet/node-program'
import { GatewayFailure } from './gateway.ts'
import { report } from './report.ts'

const ID = 'b3b0c7a4-2f2e-4d86-9f4a-3a4f7a0c2d11'

async function run(words: readonly string[], failure?: GatewayFailure) {
  const sent: unknown[] = []
  const said: string[] = []
  const status = await report(words, {
    gateway: (home) => ({
      complete: async (schedule, result) => {
        sent.push([home, schedule, result])
        if (failure) throw failure
      },
    }),
    say: (line) => said.push(line),
    signal: new AbortController().signal,
  })
  return { status, sent, said }
}

test('a run that systemd calls a success is one, and any other result an error', async () => {
  const { status, sent } = await run(['--result=success', ID])
  assert.deepEqual([status, sent], [0, [['/etc/fleet/agent', ID, 'success']]])
  for (const result of ['exit-code', 'timeout', 'signal', ''])
    assert.deepEqual((await run([`--result=${result}`, ID])).sent, [['/etc/fleet/agent', ID, 'error']])
})

test('a report that fails is said and not sent again [SCHD-023]', async () => {
  const { status, sent, said } = await run(['--result', 'success', ID], new GatewayFailure('unreachable'))
  assert.equal(status, EXIT.unavailable)
  assert.equal(sent.length, 1)
  assert.deepEqual(said, ['fleet: the run was not reported: the gateway: unreachable'])
})

test('other words are a wrong usage, and nothing is sent', async () => {
  for (const words of [[], [ID], ['--result=success'], ['--result=success', 'id'], ['--what', ID]]) {
    const { status, sent } = await run(words)
    assert.deepEqual([status, sent], [EXIT.usage, []])
  }
})
