import { parseArgs } from 'node:util'
import { CannotRun, EXIT } from './cannot-run.ts'

/** What a unit set up by the gateway gets as arguments. */
export interface Arguments {
  /** Folder of what the gateway wrote for it. */
  readonly home: string
  /** Folder of what lasts as long as it runs. */
  readonly runtime: string
  /** Digest of what the gateway set up; reported back when the program is ready. */
  readonly configuration: string
}

/** `program` names it in its folders and, with `title`, in what it says. Throws CannotRun. */
export function readArguments(
  words: readonly string[],
  { program, title }: { readonly program: string; readonly title: string },
): Arguments {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        home: { type: 'string', default: `/etc/fleet/${program}` },
        runtime: { type: 'string', default: `/run/fleet-${program}` },
        configuration: { type: 'string', default: '' },
      },
    })
    return { ...values }
  } catch (error) {
    throw new CannotRun(`${title} takes --configuration, --home and --runtime`, EXIT.usage, error)
  }
}
