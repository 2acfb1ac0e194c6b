import assert from 'node:assert/strict'
import { test } from 'node:test'
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

test('the first .env says where the Instance is served for the first framework alone [INS-056]', async () => {
  await using store = await openTestStore()
  const { nodes, projects } = testDomains({ store })
  const { id: nodeId } = await addNode(store)
  const { id: project_id } = await addProject(store)
  const row = await addInstance(store, { project_id, node_id: nodeId })
  const [node, project] = [await nodes.nodes.find(nodeId), await projects.projects.find(project_id)]
  if (!node || !project) assert.fail()
  const urlFor = async (evidence: SourceEvidence): Promise<unknown> => {
    const asked: unknown[] = []
    const ask = async (script: unknown, request: { readonly url?: string }) => {
      if (script === examineSource) return { word: 'examined', evidence }
      asked.push(request.url)
      return { word: 'made' }
    }
    const session = { ...nodes.nodes.sessions.overTunnel(fakeCall(), node), ask } as unknown as NodeSession // Only these two scripts are asked.
    await profileSource({ session, project }, row, 'https://shop.example')
    return asked
  }
  assert.deepEqual(await urlFor({ ...nothing, artisan: 'file', ...composer('laravel/framework') }), [
    'https://shop.example',
  ])
  assert.deepEqual(await urlFor({ ...nothing, console: 'file', ...composer('symfony/framework-bundle') }), [
    undefined,
  ])
  assert.deepEqual(await urlFor(nothing), [undefined])
})
