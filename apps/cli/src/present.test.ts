import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTerminal } from './fake-terminal.ts'
import { present } from './present.ts'
import type { Json } from './print/value.ts'
import { readTree } from './tree.ts'

const instance = {
  id: 7,
  project: { slug: 'shop' },
  node: { id: 3, name: 'web-1' },
  name: 'default',
  environment: 'development',
  checkout_path: '/home/fleet/apps/shop/default',
  status: 'active',
  failed_step: null,
  route: null,
  url: null,
  removal: null,
  vite_port: null,
  source_instance: null,
  copy_mode: null,
  shared_databases: [],
}
const process = {
  id: 12,
  name: 'queue',
  desired_state: 'running',
  runtime_status: 'active',
  cpu: null,
  memory_bytes: null,
}

/** What a person sees of an Instance whose further reads answer so; one that throws is refused. */
async function seen(
  answers: Readonly<Record<string, unknown>>,
  data: Json = instance,
): Promise<{ readonly out: string; readonly err: string; readonly asked: readonly Json[] }> {
  const terminal = new FakeTerminal({})
  const tree = readTree()
  const operation = tree.commands['instance:show'] ?? assert.fail()
  const asked: Json[] = []
  const read = async (name: string, members: Json): Promise<unknown> => {
    asked.push({ name, ...members })
    return answers[name] ?? assert.fail('refused')
  }
  await present(
    { terminal, tree, operation, typed: {}, read },
    { data, status: 200, requestId: 'r', text: '' },
  )
  return { out: terminal.outText, err: terminal.errText, asked }
}

test('a view shows what several further reads answer, and does without one that is refused', async () => {
  const { out, asked } = await seen({ 'process:list': [process] })
  assert.match(out, /Processes\n {2}queue {2}12 {2}active {2}should run/)
  assert.deepEqual(asked, [
    { name: 'process:list', target_type: 'instance', target_id: 7 },
    { name: 'instance:deployments', instance: 7 },
  ])
  assert.doesNotMatch((await seen({})).out, /Processes|Problems/)
})

test('the answer of a gateway of another release, which lacks what a view counts on, is printed as it is and said to be', async () => {
  const { shared_databases: _, ...earlier } = instance
  const { out, err } = await seen({}, earlier)
  assert.match(out, /^id +7\n[^]*checkout_path +\/home\/fleet\/apps\/shop\/default\n/m)
  assert.match(err, /^The gateway is of another release than this client \(fleet gateway:status\)/)
  assert.equal((await seen({})).err, '')
})
