import assert from 'node:assert/strict'
import { rmSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { addProduction, deployed } from '#/routes/production/world.test.ts'
import { findByDomain, findRoute } from '#/routes/queries.ts'
import { MISSING, type Source, startSource } from '#/routes/web-root/source.test.ts'
import { machineOf, RELEASE, servicesOf } from '#/routes/web-root/world.test.ts'
import { createFor, destroy, startWorld, update, type World } from '#/routes/world.test.ts'

const SITE = 'apps/site/public'

/** A production Instance whose selected release is a folder of this machine, with a site in it. */
async function released(world: World, source: Source): Promise<number> {
  source.write(`${SITE}/index.php`)
  const { open } = world.deps.sourceAccess
  Object.assign(world.deps.sourceAccess, {
    open: async (...[session, release]: Parameters<typeof open>) => {
      assert.equal(release.checkoutPath, RELEASE)
      const applied = await source.open(session, release)
      await open(session, release)
      return applied
    },
  })
  const { id } = await addProduction(world, deployed)
  await createFor(world, id, { domain: 'shop.example' })
  return id
}

const everything = async (world: World, source: Source) => ({
  ...machineOf(world),
  services: await servicesOf(world),
  entries: ['public', SITE, 'apps', '.env'].map(source.entryOf),
})

test(
  'a web root that the selected release lacks, with its directory or without, and one with a link are refused by name and nothing is served [RTE-058, RTE-083, RTE-136]',
  { skip: MISSING },
  async () => {
    await using world = await startWorld()
    using source = startSource()
    const instance = await released(world, source)
    source.write('apps/bare/composer.json')
    source.write('apps/odd/public/index.php')
    symlinkSync('../../../.env', source.at('apps/odd/public/env.txt'))
    const before = await everything(world, source)
    for (const [web_root, reason, path] of [
      ['apps/none/public', 'web_root_missing', 'apps/none/public'],
      ['apps/bare/public', 'web_root_missing', 'apps/bare/public'],
      ['apps/odd/public', 'link', 'apps/odd/public/env.txt'],
    ] as const) {
      const refused = (error: {
        readonly code: string
        readonly details: Record<string, unknown>
      }): boolean => {
        assert.deepEqual(
          [error.code, error.details['reason'], error.details['path']],
          ['app-prod.web_root_invalid', reason, path],
        )
        return true
      }
      await assert.rejects(createFor(world, instance, { web_root }), refused)
      const failed = await findByDomain(world.store.db, 'admin.example')
      assert.deepEqual([failed?.status, failed?.failed_step], ['failed', 'source-access'])
      assert.deepEqual(await everything(world, source), before)
      await destroy(world, failed?.id ?? 0)
      const { data } = await createFor(world, instance, { web_root: SITE })
      const served = await everything(world, source)
      await assert.rejects(update(world, data.id, { web_root }), refused)
      assert.equal((await findRoute(world.store.db, data.id))?.web_root, SITE)
      assert.deepEqual(await everything(world, source), served)
      await destroy(world, data.id)
      assert.deepEqual(await everything(world, source), before)
    }
  },
)

test(
  'the web server reads the web root that a Route of production has, and no longer the one that it had [RTE-013, RTE-068]',
  { skip: MISSING },
  async () => {
    await using world = await startWorld()
    using source = startSource()
    const instance = await released(world, source)
    const { data } = await createFor(world, instance, { web_root: SITE })
    source.write('apps/blog/public/index.php')
    await update(world, data.id, { web_root: 'apps/blog/public' })
    const entries = [SITE, 'apps/site', 'apps/blog/public', 'public', '.env'].map(source.entryOf)
    assert.deepEqual(entries, ['--- ---', '--- ---', 'r-x r-x', 'r-x r-x', '---'])
    // Repaired, the release serves what it lacked.
    rmSync(source.at('apps/site'), { recursive: true })
    await assert.rejects(update(world, data.id, { web_root: SITE }), { code: 'app-prod.web_root_invalid' })
    source.write(`${SITE}/index.php`)
    assert.equal((await update(world, data.id, { web_root: SITE })).data.web_root, SITE)
    assert.equal(source.entryOf(SITE), 'r-x r-x')
  },
)
