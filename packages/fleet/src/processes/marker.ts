import { markerText } from '#/managed-services/api.ts'

/** The line of a file of a Process that says whose it is (PROC-010). */
export const markerOf = (id: number): string => `# ${markerText('process', id)}`
