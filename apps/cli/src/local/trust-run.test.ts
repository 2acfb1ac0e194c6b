import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { startHttpsGateway } from '@fleet/testing/https-gateway'
import { parseLine } from '#/args/parse.ts'
import type { Context, Invocation } from '#/context.ts'
import { FakeTerminal } from '#/fake-terminal.ts'
import { commandSender } from '#/gateway/sender.ts'
import type { SystemStore } from '#/gateway/system-store.ts'
import { makePerson } from '#/run-harness.ts'
import { readEnvironment } from '#/env.ts'
import { readTree } from '#/tree.ts'
import { trustAndSave } from './trust-run.ts'

const ID = '00000000-0000-4000-8000-000000000001'

/** What happens, in order: each request with the certificate it trusts, and each look into the trust store of the system. */
async function scene(given: Partial<SystemStore> = {}) {
  const seen: string[] = []
  const person = makePerson()
  const gateway = await startHttpsGateway(systemClock, ({ url }, { root }) => {
    seen.push(`answered ${url}`)
    return {
      body: { data: { root_ca: root().certificate, sha256: root().sha256 }, meta: { request_id: ID } },
    }
  })
  const stored = (): boolean => profile(person.home) !== undefined
  const store: SystemStore = {
    fingerprints: () => {
      seen.push(`store read, profile ${stored() ? 'stored' : 'absent'}`)
      return new Set()
    },
    obstacle: () => Promise.resolve(undefined),
    install: async (name, pem) => {
      assert.equal(pem, gateway.root().certificate)
      seen.push(`store gets ${name}, profile ${stored() ? 'stored' : 'absent'}`)
    },
    ...given,
  }
  const trust = () =>
    trustAndSave(
      contextOf(person.home, seen),
      invocation(),
      { name: 'office', url: gateway.url, pin: undefined },
      { accept_new: true, system: true },
      store,
    )
  return {
    seen,
    stored,
    trust,
    async [Symbol.asyncDispose]() {
      person[Symbol.dispose]()
      await gateway[Symbol.asyncDispose]()
    },
  }
}

const profile = (home: string): unknown => {
  try {
    return JSON.parse(readFileSync(join(home, '.config/fleet/gateways.json'), 'utf8'))
  } catch {
    return undefined
  }
}

function contextOf(home: string, seen: string[]): Context {
  const tree = readTree()
  return {
    environment: readEnvironment(join(home, 'checkout'), { HOME: home }),
    terminal: new FakeTerminal(),
    clock: systemClock,
    tree,
    signal: new AbortController().signal,
    sender: (wish) => {
      seen.push(wish.ca === undefined ? 'asks without trust' : 'asks with the root alone')
      return commandSender(wish, tree.errors)
    },
    openPage: () => Promise.resolve(false),
    newRequestId: () => ID,
    onRequest: () => undefined,
    onOutcome: () => undefined,
  }
}

function invocation(): Invocation {
  const command = readTree().commands['gateway:trust'] ?? assert.fail()
  const line = parseLine([], [...command.arguments, ...command.options])
  return { command, line, globals: line.globals }
}

test('the root is fetched, proven by a second request, given to the trust store of the system, and stored last [GW-054]', async () => {
  await using at = await scene()
  await at.trust()
  assert.deepEqual(at.seen, [
    'asks without trust',
    'answered /api/v1/ca/root',
    'asks with the root alone',
    'answered /api/v1/ca/root',
    'store read, profile absent',
    'store gets office, profile absent',
  ])
  assert.ok(at.stored())
})

test('nothing is stored where the trust store of the system cannot be read or updated [GW-054]', async () => {
  const broken = (): never => {
    throw new Error('broken')
  }
  for (const given of [{ fingerprints: broken }, { install: async () => broken() }]) {
    await using at = await scene(given)
    await assert.rejects(at.trust(), /trust store of this system could not be/)
    assert.equal(at.stored(), false)
  }
})
