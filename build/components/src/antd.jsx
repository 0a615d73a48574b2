import { Button, Checkbox, DatePicker, Form, Input, Modal, Radio, Select, Switch } from 'antd';
import { useState } from 'react';
import { Saved, show } from './page.jsx';

// More than the list renders at once: the user reaches the others by searching or scrolling.
const cities = Array.from({ length: 200 }, (_, i) => `City ${String(i + 1)}`);

function Page() {
  const [values, setValues] = useState();
  const [entered, setEntered] = useState();
  return (
    <>
      <h1>Ant Design</h1>
      <Form
        layout="vertical"
        initialValues={{ news: false, fast: false }}
        onFinish={(all) =>
          setEntered([
            all.name,
            all.colour,
            all.city,
            all.day?.format('YYYY-MM-DD'),
            all.pay,
            all.news ? 'news' : 'no news',
            all.fast ? 'fast' : 'slow',
          ])
        }
      >
        <Form.Item name="name" label="Name" rules={[{ required: true }]}>
          <Input />
        </Form.Item>
        <Form.Item name="colour" label="Colour">
          <Select options={['Red', 'Green', 'Blue'].map((value) => ({ value, label: value }))} />
        </Form.Item>
        <Form.Item name="city" label="City">
          <Select showSearch options={cities.map((value) => ({ value, label: value }))} />
        </Form.Item>
        <Form.Item name="day" label="Day">
          <DatePicker />
        </Form.Item>
        <Form.Item name="pay" label="Payment">
          <Radio.Group options={['Card', 'Invoice']} />
        </Form.Item>
        <Form.Item name="news" valuePropName="checked">
          <Checkbox>News</Checkbox>
        </Form.Item>
        <Form.Item name="fast" label="Fast" valuePropName="checked">
          <Switch />
        </Form.Item>
        <Button type="primary" htmlType="submit">
          Save
        </Button>
      </Form>
      <Modal
        title="Save it now?"
        open={entered !== undefined}
        okText="Yes, save"
        cancelText="Back"
        onCancel={() => setEntered(undefined)}
        onOk={() => {
          setValues(entered);
          setEntered(undefined);
        }}
      />
      <Saved values={values} />
    </>
  );
}

show(<Page />);
