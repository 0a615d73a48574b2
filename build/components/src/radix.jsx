import {
  AlertDialog,
  Checkbox,
  DropdownMenu,
  Label,
  RadioGroup,
  Select,
  Switch,
  Tabs,
} from 'radix-ui';
import { useState } from 'react';
import { Saved, show } from './page.jsx';

function Fruit({ value, onChange }) {
  return (
    <Select.Root value={value} onValueChange={onChange}>
      <Select.Trigger aria-label="Fruit">
        <Select.Value placeholder="Choose a fruit" />
      </Select.Trigger>
      <Select.Portal>
        <Select.Content position="popper">
          <Select.Viewport>
            {['Apple', 'Banana', 'Cherry'].map((one) => (
              <Select.Item key={one} value={one}>
                <Select.ItemText>{one}</Select.ItemText>
              </Select.Item>
            ))}
          </Select.Viewport>
        </Select.Content>
      </Select.Portal>
    </Select.Root>
  );
}

function Form() {
  const [fruit, setFruit] = useState();
  const [news, setNews] = useState(false);
  const [fast, setFast] = useState(false);
  const [pay, setPay] = useState();
  const [values, setValues] = useState();
  return (
    <>
      <h1>Radix</h1>
      <Tabs.Root defaultValue="what">
        <Tabs.List aria-label="Order">
          <Tabs.Trigger value="what">What</Tabs.Trigger>
          <Tabs.Trigger value="how">How</Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="what">
          <Fruit value={fruit} onChange={setFruit} />
        </Tabs.Content>
        <Tabs.Content value="how">
          <Checkbox.Root id="news" checked={news} onCheckedChange={setNews}>
            <Checkbox.Indicator>✓</Checkbox.Indicator>
            {news ? '' : '☐'}
          </Checkbox.Root>
          <Label.Root htmlFor="news">News</Label.Root>
          <Switch.Root id="fast" checked={fast} onCheckedChange={setFast}>
            <Switch.Thumb>{fast ? 'I' : 'O'}</Switch.Thumb>
          </Switch.Root>
          <Label.Root htmlFor="fast">Fast</Label.Root>
          <RadioGroup.Root aria-label="Payment" value={pay} onValueChange={setPay}>
            {['Card', 'Invoice'].map((one) => (
              <RadioGroup.Item key={one} value={one}>
                {one}
              </RadioGroup.Item>
            ))}
          </RadioGroup.Root>
        </Tabs.Content>
      </Tabs.Root>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger>More</DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content>
            <DropdownMenu.Item>Print</DropdownMenu.Item>
            <DropdownMenu.Item onSelect={() => setValues(['archived'])}>Archive</DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <AlertDialog.Root>
        <AlertDialog.Trigger>Save</AlertDialog.Trigger>
        <AlertDialog.Portal>
          <AlertDialog.Overlay style={{ position: 'fixed', inset: 0, background: '#0008' }} />
          <AlertDialog.Content style={{ position: 'fixed', inset: '30% 20%', background: 'white' }}>
            <AlertDialog.Title>Save it now?</AlertDialog.Title>
            <AlertDialog.Description>It cannot be changed then.</AlertDialog.Description>
            <AlertDialog.Cancel>Back</AlertDialog.Cancel>
            <AlertDialog.Action
              onClick={() =>
                setValues([fruit, pay, news ? 'news' : 'no news', fast ? 'fast' : 'slow'])
              }
            >
              Yes, save
            </AlertDialog.Action>
          </AlertDialog.Content>
        </AlertDialog.Portal>
      </AlertDialog.Root>
      <Saved values={values} />
    </>
  );
}

show(<Form />);
