import type { DependencyInventory, EcosystemInventory } from '@fleet/contract'
import { inline, NOTHING } from '#/print/value.ts'
import { type Paper, type Row, section, type View } from '#/views/view.ts'

/** Number of packages; a dash where nothing is known, zero where the ecosystem is absent (DEP-047). */
export const countText = ({ snapshot }: EcosystemInventory): string =>
  snapshot === null ? NOTHING : String(snapshot.graph?.resolutions.length ?? 0)

/** Both ecosystems in short: what was read, when and where, and why the latest scan failed. */
export const dependencyInventory: View = {
  lines: (data, _also, paper) => inventoryLines(data as unknown as DependencyInventory, paper), // The gateway answers by this declaration.
}

export const inventoryLines = (
  { instance_id: id, composer, javascript }: DependencyInventory,
  paper: Paper,
): readonly string[] => [
  ...section('Composer', rowsOf(composer), paper).slice(1),
  ...section('JavaScript', rowsOf(javascript), paper),
  '',
  paper.colors.dim(`All packages and requirements: fleet instance:dependencies:show ${id} --json`),
]

function rowsOf(inventory: EcosystemInventory): readonly Row[] {
  const { state, snapshot, error_code, error_detail, attempted_at } = inventory
  const rows: Array<Row | undefined> = [
    ['state', state],
    ['packages', packagesText(inventory)],
    snapshot ? ['format', snapshot.source.format ?? 'no manifest and no lock file'] : undefined,
    snapshot ? ['directory', inline(snapshot.source.project_root)] : undefined,
    snapshot ? ['read', snapshot.observed_at] : undefined,
    error_code === null ? undefined : ['failed', `${attempted_at}: ${inline(error_detail)} (${error_code})`],
  ]
  return rows.filter((row) => row !== undefined)
}

function packagesText(inventory: EcosystemInventory): string {
  const graph = inventory.snapshot?.graph
  if (!graph) return countText(inventory)
  const direct = graph.requirements.filter(({ source, target }) => source === null && target !== null)
  const development = graph.resolutions.filter((one) => one.development && !one.regular)
  return `${countText(inventory)} (${direct.length} direct, ${development.length} for development alone)`
}

/** Both ecosystems of a scan in one line. */
export function scanLine({ composer, javascript }: DependencyInventory): string {
  const failures = [composer, javascript].flatMap(({ error_code, error_detail }) =>
    error_code === null ? [] : [`${inline(error_detail)} (${error_code})`],
  )
  const counts = `composer ${countText(composer)}  npm ${countText(javascript)}`
  return failures.length === 0 ? counts : `${counts}  failed: ${failures.join('; ')}`
}
