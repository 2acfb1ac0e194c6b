import type { DependencyUpdate, UpdateStep } from '@fleet/contract'
import { type Row, section, type View } from '#/views/view.ts'
import { inventoryLines } from './inventory-text.ts'

/** How each package manager ended, what it may have changed, and what the final scan found. */
export const dependencyUpdate: View = {
  lines: (data, _also, paper) => {
    const update = data as unknown as DependencyUpdate // The gateway answers by this declaration.
    const { instance_id: id, error_code, composer, javascript, inventory } = update
    const message = error_code === null ? undefined : (paper.messageOf(error_code) ?? error_code)
    return [
      ...(message === undefined ? [] : [paper.colors.red(`${message} (${error_code})`), '']),
      ...section('Update', [stepRow('Composer', composer), stepRow('Vite+', javascript)], paper).slice(1),
      ...(inventory === null ? [] : ['', ...inventoryLines(inventory, paper)]),
      ...(isRefusedForFiles(update)
        ? ['', paper.colors.dim(`Which file, and why: fleet instance:dependencies:scan ${id}`)]
        : []),
    ]
  },
}

/** A refusal names the file only where a scan does, in the inventory. */
const isRefusedForFiles = ({ error_code, composer, javascript }: DependencyUpdate): boolean =>
  composer.status === 'not_run' &&
  javascript.status === 'not_run' &&
  error_code !== 'dependencies.production_update_forbidden' &&
  error_code !== 'dependencies.unsupported_delegation'

const stepRow = (name: string, { status, may_have_mutated, error_code }: UpdateStep): Row => [
  name,
  [
    status.replace('_', ' '),
    ...(error_code === null ? [] : [error_code]),
    ...(status === 'failed' && may_have_mutated ? ['may have changed files'] : []),
  ].join(', '),
]
