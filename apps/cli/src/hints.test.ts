import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findOperation } from '@fleet/contract'
import * as z from 'zod'
import { FakeTerminal } from './fake-terminal.ts'
import { afterCreation, afterwards, columns } from './hints.ts'
import { tableLines } from './print/table.ts'

/** A list as a terminal of 80 columns shows it. */
const narrow = (operation: string, rows: readonly Record<string, unknown>[]) =>
  tableLines(rows, columns[operation], 80, new FakeTerminal().outColors)

test('a narrow terminal shows how deployments ended before what they deployed', async () => {
  const deployment = {
    id: 12,
    instance_id: 7,
    release: '20261127170006-12',
    branch: 'main',
    commit: '84b62ce448ee5890c9f8a258c0bcd518488b4880',
    started_at: '2026-11-27T17:00:06.609Z',
    finished_at: '2026-11-27T17:00:25.531Z',
    duration_seconds: 18.9,
    status: 'failed',
    failed_step: 'before_activation',
    error_code: 'deployment.step_failed',
    selected_release: '20261127165945-1',
    triggered_by: 'gateway',
  }
  assert.deepEqual(await narrow('instance:deployments', [deployment]), [
    'ID  RELEASE            STATUS  FAILED STEP        ERROR CODE',
    '12  20261127170006-12  failed  before_activation  deployment.step_failed',
  ])
})

test('Clusters are listed with their members by name, also those without an address in a LAN', async () => {
  const member = (id: number, name: string) => ({
    id,
    name,
    status: 'active',
    wireguard_ip: `10.44.0.${id}`,
    lan_ip: null,
  })
  const nodes = [member(4, 'live-1'), member(5, 'live-2')]
  const city = { id: 1, name: 'city', tld: 'city', state: 'active', nodes, router: member(3, 'edge') }
  assert.deepEqual(await narrow('cluster:list', [city]), [
    'ID  NAME  TLD   STATE   ROUTER  NODES',
    '1   city  city  active  edge    live-1 (4), live-2 (5)',
  ])
})

/** Of an object of the contract, or of each kind of one. */
const membersOf = (schema: z.ZodType): readonly string[] => {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  return schema instanceof z.ZodUnion ? schema.options.flatMap((one) => membersOf(one as z.ZodType)) : [] // as: options are schemas.
}

test('what is to be typed after a success is filled by what the command takes or answers', () => {
  for (const [name, text] of [...Object.entries(afterwards), ...Object.entries(afterCreation)]) {
    const operation = findOperation(name)
    assert.ok(operation, name)
    const known = new Set([operation.input, operation.output].flatMap(membersOf))
    const named = [...text.matchAll(/\{(\w+)\}/g)].map(([, member = '']) => member)
    assert.ok(named.length > 0, name)
    for (const member of named) assert.ok(known.has(member), `${name}: ${member}`)
  }
})
