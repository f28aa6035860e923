"""The screen of the virtual phone: view trees, layout, painting, gestures, hierarchy."""
