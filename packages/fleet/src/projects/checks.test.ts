import assert from 'node:assert/strict'
import { repairOf } from '@fleet/contract/doctor-codes'
import {
  addNode,
  addProject,
  fakeCall,
  fakeRemoteGit,
  forEachDialect,
  openTestStore,
  recordHostKey,
  testDomains,
} from '@fleet/testing'
import { makeProjectChecks } from '#/projects/checks.ts'
import type { GitReason } from '#/projects/git-reason.ts'
import { RemoteUnreadable } from '#/projects/ports.ts'

forEachDialect(
  'a deploy key that its Git host accepts no longer is found from the gateway',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    await recordHostKey(store, 'git.test')
    const repository_url = 'git@git.test:acme/shop.git'
    const git = fakeRemoteGit()
    git.remotes.set(repository_url, ['main'])
    const domains = testDomains({ store }, { git })
    const [withKey, pending] = [
      await addProject(store, { repository_url }),
      await addProject(store, { repository_url }),
    ]
    await addProject(store)
    const key = (project: number) =>
      domains.projects.handlers['project:deploy-key:create']({ call: fakeCall(), input: { project } })
    await key(withKey.id)
    assert.equal((await key(withKey.id)).data.status, 'active')
    await key(pending.id)
    let answer: GitReason | 'silent' | undefined
    const asked = {
      ...git,
      defaultBranch: async () => {
        if (answer === undefined) return 'main'
        throw new RemoteUnreadable('no', { gitReason: answer === 'silent' ? undefined : answer })
      },
    }
    const { sourceHost, github } = domains
    const checks = makeProjectChecks({ store, git: asked, hosts: sourceHost.hosts, tokens: github.tokens })
    const [hub, node] = [await addNode(store, { roles: ['gateway'] }), await addNode(store)]
    const on = ({ id }: { readonly id: number }, roles: readonly ('gateway' | 'app-dev')[]) =>
      checks.checksOf(fakeCall(), { ...(id === hub.id ? hub : node), activeRoles: [...roles] })
    assert.deepEqual(await on(node, ['app-dev']), [])
    const [check = assert.fail(), ...others] = await on(hub, ['gateway'])
    assert.deepEqual([others, check.code, check.resource.id], [[], 'project.deploy_key_refused', withKey.id])
    const verdicts = [
      [undefined, undefined],
      ['empty', undefined],
      ['authentication', { expected: 'accepted', observed: 'refused' }],
      ['not_found', { expected: 'accepted', observed: 'refused' }],
      ['host_key', { expected: 'the recorded host key', observed: 'another host key' }],
      ['timeout', { unverifiable: 'timeout' }],
      ['silent', { unverifiable: 'unreadable' }],
    ] as const
    for (const [reason, verdict] of verdicts) {
      answer = reason
      assert.deepEqual(check.kind === 'stored' ? await check.judge() : check.kind, verdict)
    }
    const { command } = repairOf('project.deploy_key_refused', {
      node_id: hub.id,
      node_name: hub.name,
      resource_name: withKey.name,
      resource_id: withKey.id,
    })
    assert.equal(command, `project:deploy-key:show ${withKey.id}`)
  },
)
