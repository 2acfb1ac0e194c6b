import { testStepList } from '@fleet/steps/testing'
import { attempts } from './attempts.test.ts'
import { type CommandRun, projectCommands } from './run-commands.ts'

const world = attempts()

for (const isWhole of [false, true])
  testStepList('project-commands', {
    variant: isWhole ? 'each whatever becomes of the others' : 'up to the first that fails',
    list: projectCommands,
    fresh: async (): Promise<CommandRun> => {
      const { checkout, project, reserve, prepare } = await world()
      const row = await reserve({ status: 'active' })
      prepare(row)
      const commands = ['install', 'migrate', 'seed'].map((name, index) => ({
        id: index,
        project_id: project.id,
        list: 'setup' as const,
        name,
        command: `make ${name}`,
        timeout_seconds: 60,
        position: index,
        created_at: '2026-01-02T03:04:05.000Z',
      }))
      return { checkout: checkout(row), row, list: 'setup', commands, isWhole }
    },
    view: async ({ row }) => (await world()).view(row),
  })
