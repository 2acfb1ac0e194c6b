import { testStepList } from '@fleet/steps/testing'
import { fakeCall, KeptWorlds } from '@fleet/testing'
import { reserve } from '#/project-updates/source-changes.ts'
import { projectUpdate, updateLog } from '#/project-updates/steps/list.ts'
import { type ProjectUpdate, updateOf } from '#/project-updates/update.ts'
import { GIVEN, startWorld, viewOf, type World } from '#/project-updates/world.test.ts'

const worlds = new KeptWorlds<World>()

type Given = ProjectUpdate & { readonly world: World }

async function fresh(): Promise<Given> {
  const world = await startWorld()
  worlds.keep(world)
  const { project, deps } = world
  const change = {
    project,
    requested: GIVEN,
    values: { ...GIVEN, repository_identity: 'git.example.com/acme/next' },
    check: async () => undefined,
  }
  return { world, ...updateOf(deps, fakeCall(), await reserve(deps, change), change) }
}

testStepList<Given>('project-update', {
  list: projectUpdate,
  close: ({ world }) => worlds.close(world),
  fresh,
  view: ({ world }) => viewOf(world),
  log: updateLog,
  // The identical request as a whole: it decides by the record what is left to do.
  again: async ({ world }) => {
    await world.update(GIVEN)
    return undefined
  },
  commitsWhole: true,
})
