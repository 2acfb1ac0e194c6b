import { catalogue, errorRegistry, eventRegistry, isCommand } from '@fleet/contract'
import { cliTree } from '#/cli/tree.ts'
import { openApi } from '#/openapi/document.ts'
import { doctorMarkdown } from './doctor.ts'
import { errorsMarkdown } from './errors.ts'
import { eventsMarkdown } from './events.ts'
import { operationsMarkdown } from './operations.ts'
import { recordsMarkdown } from './records.ts'
import { statesMarkdown } from './states.ts'

/** File name below `docs/reference` to its whole text. */
export const reference = (): Readonly<Record<string, string>> => ({
  'openapi.json': `${JSON.stringify(openApi(catalogue, errorRegistry), null, 2)}\n`,
  'operations.md': operationsMarkdown(catalogue, errorRegistry),
  'records.md': recordsMarkdown(),
  'errors.md': errorsMarkdown(catalogue, errorRegistry),
  'states.md': statesMarkdown(),
  'events.md': eventsMarkdown(),
  'doctor.md': doctorMarkdown(),
})

/** Path from the repository root to the whole text of every generated file: the reference and the command index of the CLI. */
export const generatedFiles = (): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(reference()).map(([name, text]) => [`docs/reference/${name}`, text])),
  'apps/cli/src/commands.json': commandIndex(),
})

/** The command tree as a file: the CLI reads it instead of the catalogue, whose schemas cost most of its start. */
const commandIndex = (): string => {
  const operations = catalogue.filter(isCommand)
  const { families, commands, errors, events } = cliTree(
    operations,
    errorRegistry,
    Object.keys(eventRegistry),
  )
  const lines = (record: object): string =>
    `{\n${Object.entries(record)
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
      .join(',\n')}\n}`
  // One line for each entry, so that a change shows as one changed line.
  return `{"families":${JSON.stringify(families)},\n"commands":${lines(commands)},\n"errors":${lines(errors)},\n"events":${JSON.stringify(events)}}\n`
}
