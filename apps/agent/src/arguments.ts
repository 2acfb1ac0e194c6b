import { parseArgs } from 'node:util'
import { CannotRun, EXIT } from '@fleet/kernel/node-program'

export interface Arguments {
  readonly home: string
  readonly runtime: string
  /** Digest of what the gateway set up; told back when the agent is ready. */
  readonly configuration: string
}

/** Throws CannotRun. */
export function readArguments(words: readonly string[]): Arguments {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        home: { type: 'string', default: '/etc/fleet/agent' },
        runtime: { type: 'string', default: '/run/fleet-agent' },
        configuration: { type: 'string', default: '' },
      },
    })
    return values
  } catch (error) {
    throw new CannotRun('the agent takes --configuration, --home and --runtime', EXIT.usage, error)
  }
}
