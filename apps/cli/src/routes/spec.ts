import type { CliField } from '@fleet/surfaces'
import type { CommandSpec } from '#/command-spec.ts'

/** The operation with the set of targets in the words of people, in place of two members in JSON. */
export function targetSetSpec(operation: CommandSpec | undefined): CommandSpec {
  if (!operation) throw new Error('the catalogue has no route:target:set')
  const { name, summary, description = '', access, arguments: args, errors } = operation
  return {
    name,
    summary,
    description: `${description} On the command line, INSTANCE alone is one target; with any option it is the first of the set. --remove asks for confirmation.`,
    access,
    destructive: false,
    watchable: true,
    arguments: args,
    options: [
      list('targets', {
        description: 'A production Instance that is to serve the Route; name all of them, in their order.',
        refers: 'instance',
      }),
      list('reassign', {
        description: 'An Instance that leaves serves this explicit Route from now on.',
        form: 'INSTANCE:ROUTE',
      }),
      list('remove', { description: 'An Instance that leaves is removed at the end.', refers: 'instance' }),
    ],
    errors,
  }
}

const list = (
  name: string,
  given: Pick<CliField, 'description'> & { readonly refers?: string; readonly form?: string },
): CliField => ({
  member: name,
  name,
  type: 'strings',
  place: 'body',
  required: false,
  nullable: false,
  secret: false,
  ...given,
})
