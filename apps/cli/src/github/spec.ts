import type { CliField } from '@fleet/surfaces'
import type { CommandSpec } from '#/command-spec.ts'

/** Seconds that a person gets in the browser. */
export const WAIT_SECONDS = 600

/** The operation with the browser, and the wait for what the person does there. */
export function appInstallSpec(operation: CommandSpec | undefined): CommandSpec {
  if (!operation) throw new Error('the catalogue has no github:app:install')
  const { name, summary, description = '', access, arguments: args, options, errors } = operation
  return {
    name,
    summary,
    description: `${description} On the command line it is printed, and the command waits until an account has installed the app or changed its installation. With --json it prints the response and does not wait.`,
    access,
    destructive: false,
    arguments: args,
    options: [
      ...options,
      option(
        'browser',
        'boolean',
        'Also open the page in the browser of this machine, if the output is a terminal.',
      ),
      option('wait', 'integer', `Seconds to wait; 0 does not wait. Default: ${WAIT_SECONDS}.`),
    ],
    errors: [...errors, 'github.installation_pending', 'gateway.unreachable'],
  }
}

const option = (name: string, type: CliField['type'], description: string): CliField => ({
  member: name,
  name,
  type,
  place: 'body',
  required: false,
  nullable: false,
  secret: false,
  description,
})
