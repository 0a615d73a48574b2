/** The attributes that a control inside a Field sets on its element. */
export interface FieldControl {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': 'true' | undefined;
}
