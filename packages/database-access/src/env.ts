/** The token that a Node may demand of whoever runs the SQLite command (DB-066); unset on every Node of ours. */
export const expectedToken = (): string | undefined => process.env['FLEET_INTERNAL_DATABASE_TOKEN']
