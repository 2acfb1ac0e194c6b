import type { CliTree } from '@fleet/surfaces'
import type { Terminal } from '#/terminal.ts'
import type { StreamText } from '#/views/view.ts'
import { streamLine } from './answer.ts'
import { storedCodeText } from './stored-code.ts'

/** How the lines of a stream are printed for people; `instance` is the one that it is of, as it may be typed. */
export async function textOfStream(
  name: string,
  { terminal, tree }: { readonly terminal: Terminal; readonly tree: CliTree },
  instance?: string,
): Promise<StreamText> {
  const { streamViews } = await import('#/views/index.ts')
  const view = streamViews[name]
  if (!view) return { line: (data) => [streamLine(data)], end: () => [] }
  const messageOf = (code: string): string | undefined => storedCodeText(tree, code)
  return view({ columns: terminal.columns, colors: terminal.outColors, messageOf }, instance)
}
