import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addNode, fakeCall, fakeExecutables, nodeRecord, openTestStore } from '@fleet/testing'
import { agentQuestion, makeAgentChecks } from '#/agents/checks/checks.ts'
import type { AgentRealtime } from '#/realtime/api.ts'
import { AGENT_UNIT, SECRET_FILE } from '#/agents/service/agent.ts'
import type { AgentSight } from '#/agents/view/node-view.ts'
import type { AgentViews, SubscriberHealth } from '#/agents/view/views.ts'
import type { ServiceSight } from '#/managed-services/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'

const HASH = 'a'.repeat(64)
const executables = fakeExecutables({ architecture: 'x86_64' })
const pinned = (await executables.find('x86_64'))?.sha256 ?? ''

interface Given {
  readonly installed?: boolean
  readonly active?: boolean
  readonly enabled?: boolean
  readonly secret?: string | undefined
  readonly running?: string | undefined
  readonly sha256?: string | undefined
  readonly command?: 'own' | 'missing' | 'foreign'
}

const WELL: Required<Given> = {
  installed: true,
  active: true,
  enabled: true,
  secret: HASH,
  running: 'b'.repeat(64),
  sha256: pinned,
  command: 'own',
}

/** What the Node answers. */
function sightOf(given: Given): ServiceSight {
  const { installed, active, enabled, secret, running, sha256, command } = { ...WELL, ...given }
  return {
    state: {
      hasFolders: true,
      digests: new Map([[SECRET_FILE, secret]]),
      links: new Map(),
      units: new Map([[AGENT_UNIT, { hasFile: installed, isEnabled: enabled, isActive: active }]]),
      releases: new Set(),
      running,
    },
    program: { architecture: 'x86_64', sha256, sealed: true, unsealed: '', command },
    trouble: undefined,
  }
}

const SERVED: AgentRealtime = {
  service: () =>
    Promise.resolve({ url: '', address: '', key: '', sign: () => ({ auth: '', channel_data: '' }) }),
}
const SIGHT: AgentSight = {
  presence: 'online',
  isFresh: true,
  hasFreshWorkspaces: true,
  version: undefined,
  docker: 'absent',
  units: { byKey: new Map(), isCut: false },
  workspaces: undefined,
}
interface Watched {
  readonly realtime?: AgentRealtime
  readonly views?: Views
}
type Views = Pick<AgentViews, 'of' | 'subscriber' | 'isSettling'>
const seen = (subscriber: SubscriberHealth, sight: AgentSight, isSettling = false): Views => ({
  subscriber: () => subscriber,
  of: () => sight,
  isSettling: () => isSettling,
})

/** `code expected observed` of every check that finds something; undefined where nothing is checked. */
async function findings(
  view: Given,
  given: Partial<NodeRecord> = {},
  watched: Watched = {},
): Promise<readonly string[] | undefined> {
  await using store = await openTestStore()
  const { id } = await addNode(store, { agent_secret_hash: HASH })
  const { realtime = SERVED, views = seen('up', SIGHT) } = watched
  const checks = await makeAgentChecks({ store, executables, realtime, views }).checksOf(
    fakeCall(),
    nodeRecord({ ...given, id }),
  )
  if (checks.length === 0) return undefined
  const verdicts = checks.map(async (check) => {
    const verdict = check.kind === 'asked' ? await check.judge(sightOf(view)) : assert.fail('all of them ask')
    return verdict && 'expected' in verdict ? [`${check.code} ${verdict.expected} ${verdict.observed}`] : []
  })
  return (await Promise.all(verdicts)).flat()
}

test('an agent that runs as set up has no finding [DRF-020, DRF-021, DRF-022, DRF-025]', async () => {
  assert.deepEqual(await findings(WELL), [])
})

test('an agent that is not there is reported, and nothing that hangs on it [DRF-020]', async () => {
  const gone: Given = {
    installed: false,
    active: false,
    secret: undefined,
    running: undefined,
    sha256: undefined,
    command: 'missing',
  }
  assert.deepEqual(await findings(gone), ['node.agent_missing installed missing'])
})

test('an agent that does not run, or is not ready, is inactive [DRF-020]', async () => {
  const idle = { running: undefined }
  assert.deepEqual(await findings({ ...WELL, active: false, ...idle }), [
    'node.agent_inactive active inactive',
  ])
  assert.deepEqual(await findings({ ...WELL, ...idle }), ['node.agent_inactive active not ready'])
  assert.deepEqual(await findings({ ...WELL, enabled: false }), [
    'node.agent_inactive active does not start at boot',
  ])
})

test('another executable than the one of the release is reported by the beginning of its digest [DRF-021]', async () => {
  assert.deepEqual(await findings({ ...WELL, sha256: 'c'.repeat(64) }), [
    `node.agent_binary_mismatch ${pinned.slice(0, 12)} cccccccccccc`,
  ])
  assert.deepEqual(await findings({ ...WELL, sha256: undefined }), [
    `node.agent_binary_mismatch ${pinned.slice(0, 12)} missing`,
  ])
})

test('a secret that is missing or another one is reported, and none of its characters [DRF-022]', async () => {
  const secret = (found: string | undefined) => findings({ ...WELL, secret: found })
  assert.deepEqual(await secret(undefined), ['node.agent_secret_mismatch match missing'])
  assert.deepEqual(await secret('d'.repeat(64)), ['node.agent_secret_mismatch match mismatch'])
})

test('a foreign program in the place of the command is reported [DRF-025]', async () => {
  assert.deepEqual(await findings({ ...WELL, command: 'foreign' }), ['node.cli_foreign own foreign'])
})

test('a Node that is no managed Linux Node has no agent to check [DRF-028]', async () => {
  assert.equal(await findings(WELL, { platform: 'macos' }), undefined)
  assert.equal(await findings(WELL, { ssh_host_fingerprint: null }), undefined)
})

test('what is no whole answer is none', () => {
  assert.equal(agentQuestion.read({ exitCode: 0, text: 'architecture 3\nx86' }), undefined)
  assert.equal(agentQuestion.read({ exitCode: 1, text: '' }), undefined)
})

test('a view that is not fresh is reported with its reason, where there is a realtime service and an agent that runs [DRF-023]', async () => {
  const observed = async (views: Views) => findings(WELL, {}, { views })
  const stale = { ...SIGHT, isFresh: false }
  const reported = (reason: string) => [`node.agent_view_stale fresh ${reason}`]
  assert.deepEqual(await observed(seen('down', SIGHT)), reported('subscriber_down'))
  assert.deepEqual(await observed(seen('disconnected', SIGHT)), reported('disconnected'))
  assert.deepEqual(await observed(seen('up', { ...stale, units: undefined })), reported('missing'))
  assert.deepEqual(await observed(seen('up', stale)), reported('stale'))
  assert.deepEqual(await observed(seen('up', stale, true)), [], 'agents may still be on their way')
  const unserved: AgentRealtime = { service: () => Promise.resolve(undefined) }
  assert.deepEqual(await findings(WELL, {}, { realtime: unserved, views: seen('down', stale) }), [])
  assert.deepEqual(await findings({ ...WELL, active: false }, {}, { views: seen('up', stale) }), [
    'node.agent_inactive active inactive',
  ])
})
