import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { addInstance, addNode, addProject, fakeCall, openTestStore, testDomains } from '@fleet/testing'
import type { NodeSession } from '#/nodes/api.ts'
import { examineSource } from '#/instances/commands/examine-source.ts'
import type { SourceEvidence } from '#/instances/profile.ts'
import { profileSource } from './profile-source.ts'

const nothing: SourceEvidence = { artisan: 'absent', console: 'absent', composer: 'absent', manifest: '' }
const composer = (name: string) => ({
  composer: 'file' as const,
  manifest: JSON.stringify({ require: { [name]: '*' } }),
})

const LARAVEL = { ...nothing, artisan: 'file' as const, ...composer('laravel/framework') }
const SYMFONY = { ...nothing, console: 'file' as const, ...composer('symfony/framework-bundle') }

/** Profiles a source whose first `.env` the Node answers so. Answers the URL that it was to have. */
async function profiled(evidence: SourceEvidence, word: string): Promise<string | undefined> {
  await using store = await openTestStore()
  const { nodes, projects } = testDomains({ store })
  const { id: nodeId } = await addNode(store)
  const { id: project_id } = await addProject(store)
  const row = await addInstance(store, { project_id, node_id: nodeId })
  const [node, project] = [await nodes.nodes.find(nodeId), await projects.projects.find(project_id)]
  if (!node || !project) assert.fail()
  let url: string | undefined
  const ask = async (script: unknown, request: { readonly url?: string }) => {
    if (script === examineSource) return { word: 'examined', evidence }
    url = request.url
    return { word }
  }
  const session = { ...nodes.nodes.sessions.overTunnel(fakeCall(), node), ask } as unknown as NodeSession // Only these two scripts are asked.
  await profileSource({ session, project }, row, 'https://shop.example')
  return url
}

test('the first .env says where the Instance is served for the first framework alone [INS-056]', async () => {
  assert.equal(await profiled(LARAVEL, 'made'), 'https://shop.example')
  assert.equal(await profiled(SYMFONY, 'made'), undefined)
  assert.equal(await profiled(nothing, 'made'), undefined)
})

test('a first .env that cannot be written has a code of its own where it was to have the URL [PRJ-026]', async () => {
  for (const [evidence, code] of [
    [LARAVEL, 'app-dev.laravel_url_configuration_failed'],
    [SYMFONY, 'instance.source_failed'],
    [nothing, 'instance.source_failed'],
  ] as const)
    await assert.rejects(profiled(evidence, 'failed'), (error) => {
      assert.ok(error instanceof CodedError)
      assert.deepEqual([error.code, error.status, error.details?.['step']], [code, 502, 'environment'])
      return true
    })
})
