/** Collects text line by line, as a reader sees it. */
export class Lines {
  readonly #out: string[] = [];
  #line = '';
  #space = false;
  /** The line has only what a block begins with, such as the mark of a list item. */
  #begun = false;
  /** What each line begins with: the marks of quotes around it, and what indents it. */
  #lead = '';
  /** The lead of the line, and of the line before it. */
  #own = '';
  #last = '';
  /** The marks that the next text begins with. */
  #marks = '';
  /** An empty line comes before the next one: between two blocks, or as many as the page has. */
  #gap = false;
  #empty = 0;

  /** Adds text. White space collapses unless the page preserves it. */
  add(data: string, pre: boolean): void {
    if (pre) {
      this.raw(data.replace(/\r\n?/g, '\n'));
      return;
    }
    const words = data.split(/[\t\n\f\r ]+/).filter((word) => word !== '');
    if (/^[\t\n\f\r ]/.test(data)) this.#space = true;
    if (words.length === 0) return;
    this.#write(words.join(' '));
    this.#space = /[\t\n\f\r ]$/.test(data);
  }

  /** Adds text unchanged, in as many lines as it has. */
  raw(data: string): void {
    data.split('\n').forEach((line, at) => {
      if (at > 0) this.newLine();
      if (line !== '') this.#write(line);
    });
  }

  /** Adds what a block begins with. The text of the first block in it follows on the same line. */
  begin(mark: string): void {
    if (this.#begun) this.end();
    this.raw(mark);
    this.#begun = true;
  }

  /** Whether the next text is the first of its line, or of what follows the mark of a block. */
  get atStart(): boolean {
    return this.#line === '' || this.#begun;
  }

  /** Opens a mark such as that of bold text. Space at the begin of the text comes before it. */
  open(mark: string): void {
    this.#marks += mark;
  }

  /** Closes a mark. Space at the end of its text comes after it; without a text there is none. */
  close(mark: string): void {
    if (this.#marks.endsWith(mark)) this.#marks = this.#marks.slice(0, -mark.length);
    else if (this.#line === '') this.raw(mark);
    else this.#line += mark;
  }

  /** Separates a cell from the one before it. */
  cell(): void {
    this.#space = false;
    this.raw('\t');
  }

  /** Makes each line begin with more, until the returned function is called. */
  indent(lead: string): () => void {
    const before = this.#lead;
    this.#lead += lead;
    return () => {
      this.#lead = before;
    };
  }

  /** Ends the line; with `gap`, an empty line follows. */
  break(gap = false): void {
    this.#space = false;
    if (this.#begun) return;
    this.#end();
    this.#gap ||= gap;
  }

  /** Ends the line of a block that had nothing but its mark. */
  end(): void {
    this.#begun = false;
    this.break();
  }

  /** Ends the line as the page does within a block: one that has no text stays empty. */
  newLine(): void {
    this.#space = this.#begun = false;
    if (!this.#end()) this.#empty += 1;
  }

  /** All of it. */
  toString(): string {
    this.end();
    return this.#out.join('\n');
  }

  #write(text: string): void {
    if (this.#line === '') this.#start();
    else if (this.#space && !/\s$/.test(this.#line)) this.#line += ' ';
    this.#line += this.#marks + text;
    this.#marks = '';
    this.#space = this.#begun = false;
  }

  #start(): void {
    const empty = this.#out.length === 0 ? 0 : Math.max(this.#empty, this.#gap ? 1 : 0);
    // An empty line belongs to a quote when the lines on both its sides do.
    const both = this.#last.length < this.#lead.length ? this.#last : this.#lead;
    for (let i = 0; i < empty; i++) this.#out.push(both.trimEnd());
    this.#own = this.#last = this.#lead;
    this.#gap = false;
    this.#empty = 0;
  }

  /** Ends the line. Returns whether it had text. */
  #end(): boolean {
    const line = this.#line.replace(/[ \t]+$/, '');
    this.#line = '';
    if (line !== '') this.#out.push(this.#own + line);
    return line !== '';
  }
}
