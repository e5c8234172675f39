"""ONNX graphs compared with the models: time and precision."""
