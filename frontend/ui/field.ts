/** What the control inside a Field puts on its element. */
export interface FieldControl {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': 'true' | undefined;
}
